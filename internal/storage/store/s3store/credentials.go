package s3store

import (
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// credentialChain is a [credentials.Provider] that uses the first provider with
// credentials. Without any, requests are not signed, which is enough to read a public
// bucket.
type credentialChain struct {
	providers []credentials.Provider
	current   credentials.Provider // nil if there are no credentials
	last      credentials.Value    // the last ones that were found
	retryAt   time.Time            // when to look again; zero if the provider knows
}

// retryCredentials is the time after which credentials are looked up again, because
// files with credentials are replaced while servers are running.
const retryCredentials = time.Minute

// newCredentials returns the credentials for an address, from the environment, the
// files of AWS and MinIO or, for Amazon's servers, the role of the machine.
func newCredentials(a address) *credentialChain {
	c := &credentialChain{providers: []credentials.Provider{
		&credentials.EnvAWS{}, &credentials.EnvMinio{},
		&credentials.FileAWSCredentials{}, &credentials.FileMinioClient{},
	}}
	switch {
	case os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" || os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" || os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "":
		c.providers = append(c.providers, &credentials.IAM{Client: &http.Client{Timeout: stallTimeout}})
	case a.isAmazon() && os.Getenv("AWS_EC2_METADATA_DISABLED") != "true":
		// The metadata service is on the same host, if there is one.
		c.providers = append(c.providers, &credentials.IAM{Client: &http.Client{Timeout: 500 * time.Millisecond}})
	}
	return c
}

// RetrieveWithCredContext implements [credentials.Provider].
func (c *credentialChain) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	for _, p := range c.providers {
		value, err := p.RetrieveWithCredContext(cc)
		if err == nil && value.AccessKeyID != "" && value.SecretAccessKey != "" {
			c.current, c.last, c.retryAt = p, value, time.Time{}
			if _, isRole := p.(*credentials.IAM); !isRole {
				c.retryAt = time.Now().Add(retryCredentials)
			}
			return value, nil
		}
	}
	c.current, c.retryAt = nil, time.Now().Add(retryCredentials)
	if c.last.AccessKeyID != "" {
		return c.last, nil // a file is perhaps being replaced
	}
	return credentials.Value{SignerType: credentials.SignatureAnonymous}, nil
}

// Retrieve implements [credentials.Provider].
func (c *credentialChain) Retrieve() (credentials.Value, error) {
	return c.RetrieveWithCredContext(nil)
}

// IsExpired implements [credentials.Provider].
func (c *credentialChain) IsExpired() bool {
	return c.current != nil && c.current.IsExpired() || !c.retryAt.IsZero() && time.Now().After(c.retryAt)
}
