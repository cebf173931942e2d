package store

import "context"

// WithHook returns the store s, which calls hook before it deletes a file or folder
// and fails with its error.
func WithHook(s *Store, hook func(name string) error) *Store {
	return New(hookedBackend{s.backend, hook}, s.name)
}

type hookedBackend struct {
	Backend
	beforeRemove func(name string) error
}

func (b hookedBackend) Remove(ctx context.Context, name string) error {
	if err := b.beforeRemove(name); err != nil {
		return err
	}
	return b.Backend.Remove(ctx, name)
}
