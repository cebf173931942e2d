// Command parse reads files of the deploy folder with the parsers of the programs
// that use them, and prints their content as JSON. It fails if a file is invalid. It
// is a module of its own because these parsers have many dependencies.
//
//	parse compose FILE
//	parse dockerfile FILE CONTEXT
//	parse kubernetes DIR
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

func main() {
	content, err := parse(context.Background(), os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(content)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(ctx context.Context, args []string) (any, error) {
	switch {
	case len(args) == 2 && args[0] == "compose":
		return parseCompose(ctx, args[1])
	case len(args) == 3 && args[0] == "dockerfile":
		return parseDockerfile(args[1], args[2])
	case len(args) == 2 && args[0] == "kubernetes":
		return parseKubernetes(args[1])
	}
	return nil, errors.New("usage: parse compose FILE | dockerfile FILE CONTEXT | kubernetes DIR")
}
