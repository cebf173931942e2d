package s3store_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"placard/internal/store/s3store"
	"placard/internal/store/storetest"
	"placard/internal/testenv"
)

func TestBucketContract(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", testenv.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", testenv.S3SecretKey)
	server := testenv.S3(t, "releases")
	var stores atomic.Int64
	storetest.Run(t, func(t *testing.T) func() storetest.Store {
		address := fmt.Sprintf("s3://releases/store-%d?endpoint=http://%s&region=us-east-1", stores.Add(1), server.Addr)
		return func() storetest.Store {
			s, err := s3store.Open(address, s3store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}
