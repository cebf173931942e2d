package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

type kubernetes struct {
	Built []runtime.Object            // the output of kustomize
	Files map[string][]runtime.Object // by the names of the other files
}

// parseKubernetes builds a kustomization and decodes its objects and those of the
// other files in the folder. Unknown and repeated fields, and pods that violate the
// restricted profile, are errors.
func parseKubernetes(dir string) (*kubernetes, error) {
	decoder, err := strictDecoder()
	if err != nil {
		return nil, err
	}
	opts := krusty.MakeDefaultOptions()
	resources, err := krusty.MakeKustomizer(opts).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	built, err := resources.AsYaml()
	if err != nil {
		return nil, err
	}
	result := kubernetes{Files: make(map[string][]runtime.Object)}
	if result.Built, err = decodeObjects(decoder, built); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "kustomization.yaml" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if result.Files[name], err = decodeObjects(decoder, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return &result, errors.Join(restricted(result.Built), restricted(result.Files["publish-job.yaml"]))
}

func strictDecoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, autoscalingv2.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme, monitoringv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), nil
}

// decodeObjects decodes a YAML stream.
func decodeObjects(decoder runtime.Decoder, data []byte) (objects []runtime.Object, err error) {
	for document := range bytes.SplitSeq(append([]byte("\n"), data...), []byte("\n---")) {
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// restricted reports the violations of the restricted pod security profile.
func restricted(objects []runtime.Object) error {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	var errs []error
	for _, object := range objects {
		var pod corev1.PodTemplateSpec
		switch o := object.(type) {
		case *appsv1.Deployment:
			pod = o.Spec.Template
		case *batchv1.Job:
			pod = o.Spec.Template
		default:
			continue
		}
		for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				errs = append(errs, fmt.Errorf("%T: %s: %s", object, result.ForbiddenReason, result.ForbiddenDetail))
			}
		}
	}
	return errors.Join(errs...)
}
