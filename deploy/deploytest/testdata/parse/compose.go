package main

import (
	"context"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// parseCompose checks a file against the schema of Compose and replaces its
// variables from the environment.
func parseCompose(ctx context.Context, file string) (*types.Project, error) {
	opts, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithName("placard"))
	if err != nil {
		return nil, err
	}
	return opts.LoadProject(ctx)
}
