package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

type dockerfile struct {
	Stages  []stage
	Context []string // files of the build context
}

type stage struct {
	Name, Base string
	Commands   []command
}

type command struct {
	Name   string            // for example COPY
	Args   []string          `json:",omitempty"` // command lines, sources, names
	Target string            `json:",omitempty"` // of COPY
	From   string            `json:",omitempty"` // of COPY
	Pairs  map[string]string `json:",omitempty"` // of ENV, LABEL and ARG
}

// parseDockerfile parses a Dockerfile, treats warnings as errors, and lists the
// files of the build context that its ignore file leaves.
func parseDockerfile(file, root string) (*dockerfile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, warning := range parsed.Warnings {
		errs = append(errs, errors.New(warning.Short))
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		errs = append(errs, fmt.Errorf("%s: %s", rule, message))
	}})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	var result dockerfile
	for _, s := range stages {
		converted := stage{Name: s.Name, Base: s.BaseName}
		for _, c := range s.Commands {
			converted.Commands = append(converted.Commands, convert(c))
		}
		result.Stages = append(result.Stages, converted)
	}
	result.Context, err = contextFiles(file+".dockerignore", root)
	return &result, err
}

func convert(c instructions.Command) command {
	converted := command{Name: c.Name()}
	pairs := func(list instructions.KeyValuePairs) {
		converted.Pairs = make(map[string]string)
		for _, pair := range list {
			converted.Pairs[pair.Key] = strings.Trim(pair.Value, `"`)
		}
	}
	switch c := c.(type) {
	case *instructions.RunCommand:
		converted.Args = c.CmdLine
	case *instructions.CopyCommand:
		converted.Args, converted.Target, converted.From = c.SourcePaths, c.DestPath, c.From
	case *instructions.EnvCommand:
		pairs(c.Env)
	case *instructions.LabelCommand:
		pairs(c.Labels)
	case *instructions.ArgCommand:
		converted.Pairs = make(map[string]string)
		for _, arg := range c.Args {
			converted.Pairs[arg.Key] = arg.ValueString()
		}
	case *instructions.UserCommand:
		converted.Args = []string{c.User}
	case *instructions.WorkdirCommand:
		converted.Args = []string{c.Path}
	case *instructions.ExposeCommand:
		converted.Args = c.Ports
	case *instructions.EntrypointCommand:
		converted.Args = c.CmdLine
	case *instructions.CmdCommand:
		converted.Args = c.CmdLine
	case *instructions.HealthCheckCommand:
		converted.Args = c.Health.Test
	}
	return converted
}

// contextFiles lists the files below root that an ignore file does not exclude.
func contextFiles(ignoreFile, root string) ([]string, error) {
	f, err := os.Open(ignoreFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		return nil, err
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, err
	}
	var names []string
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		ignored, err := matcher.MatchesOrParentMatches(filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case ignored && d.IsDir() && !matcher.Exclusions():
			return fs.SkipDir
		case !ignored && !d.IsDir():
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}
