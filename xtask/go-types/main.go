// Prints how the Go types of Kubernetes' API are written as JSON: what OpenAPI does not tell, such as which
// fields are pointers. One line a field, separated by tabs: the type's OpenAPI name, the field, its Go type,
// and when it is left out (the JSON tag's options). `cargo xtask schema` runs it.
package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var lines = map[string]bool{}
var seen = map[reflect.Type]bool{}

func name(t reflect.Type) string {
	return strings.ReplaceAll(strings.Replace(t.PkgPath(), "k8s.io/", "io.k8s.", 1), "/", ".") + "." + t.Name()
}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		visit(t.Elem())
	case reflect.Struct:
		if !seen[t] {
			seen[t] = true
			fields(name(t), t)
		}
	}
}

func fields(owner string, t reflect.Type) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("json")
		parts := strings.Split(tag, ",")
		if !f.IsExported() || !ok || parts[0] == "-" {
			continue
		}
		if parts[0] == "" {
			if f.Anonymous {
				fields(owner, f.Type)
			}
			continue
		}
		lines[strings.Join([]string{owner, parts[0], f.Type.String(), strings.Join(parts[1:], ",")}, "\t")] = true
		visit(f.Type)
	}
}

func main() {
	for _, add := range []func() error{
		func() error { return apiextensions.AddToScheme(scheme.Scheme) },
		func() error { return aggregator.AddToScheme(scheme.Scheme) },
	} {
		if err := add(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		visit(t)
	}
	all := make([]string, 0, len(lines))
	for l := range lines {
		all = append(all, l)
	}
	sort.Strings(all)
	for _, l := range all {
		fmt.Println(l)
	}
}
