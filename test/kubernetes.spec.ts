import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { settingNames } from '#platform';

type Json = { readonly [name: string]: Json } & readonly Json[] & string;
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Json;
  readonly data?: Readonly<Record<string, string>>;
}

const FOLDER = 'deploy/kubernetes';
/** Of the Gateway API and of Prometheus's operator: .ci/run lays them here. */
const CUSTOM_RESOURCES = 'node_modules/.custom-resources';

const read = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');
const has = (command: string): boolean => spawnSync(command, ['--help']).error === undefined;

describe('deploy/kubernetes', () => {
  it('lists every manifest that lies beside a kustomization', () => {
    for (const folder of ['base', 'example']) {
      const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: readonly string[] };
      const there = readdirSync(join(FOLDER, folder)).filter((name) => name.endsWith('.yaml'));
      const listed = there.filter((name) => name !== 'kustomization.yaml' && !name.includes('.example.'));
      expect(listed.toSorted()).toEqual(resources.filter((name) => name.endsWith('.yaml')).toSorted());
    }
  });

  it('leaves the number of replicas to the autoscaler, whose figure the adapter serves', () => {
    const deployment = parse(read('base/deployment.yaml')) as Manifest;
    expect(Object.keys(deployment.spec)).not.toContain('replicas');
    const scaler = parse(read('base/autoscaler.yaml')) as Manifest;
    expect(scaler.spec['scaleTargetRef']).toMatchObject({ name: deployment.metadata.name });
    const { rules } = parse(read('prometheus-adapter.values.yaml')) as {
      rules: { custom: readonly { seriesQuery: string; name: { as: string }; metricsQuery: string }[] };
    };
    const asked = scaler.spec['metrics']?.[0]?.['pods']?.['metric']?.['name'];
    const rule = rules.custom.find(({ name }) => name.as === asked);
    const series = /^\w+/.exec(rule?.seriesQuery ?? '')?.[0] ?? '';
    expect(readFileSync('docs/observability.md', 'utf8')).toContain(`\`${series}\``);
    expect(rule?.metricsQuery).toContain('<<.LabelMatchers>>');
  });

  it('probes the process at its start and its life, and its readiness for what it needs', () => {
    const { spec } = parse(read('base/deployment.yaml')) as Manifest;
    const container = spec['template']?.['spec']?.['containers']?.[0];
    const path = (probe: string): string | undefined => container?.[probe]?.['httpGet']?.['path'];
    expect(['startupProbe', 'readinessProbe', 'livenessProbe'].map(path)).toEqual([
      '/healthz',
      '/readyz',
      '/healthz',
    ]);
  });

  it('keeps secrets in the secret, and what is none in the map; all of them are settings', () => {
    const asked = new Set(settingNames());
    const { stringData } = parse(read('example/secret.example.yaml')) as {
      stringData: Record<string, string>;
    };
    const { configMapGenerator } = parse(read('example/kustomization.yaml')) as {
      configMapGenerator: readonly { literals: readonly string[] }[];
    };
    const given = [...read('base/annals.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    for (const { literals } of configMapGenerator)
      given.push(...literals.map((text) => text.split('=', 1)[0] ?? ''));
    expect(given.length).toBeGreaterThan(3);
    expect([...given, ...Object.keys(stringData)].filter((name) => !asked.has(name))).toEqual([]);
    const secret = /KEY|SECRET|SASL|DATABASE_URL|EVENTSTORE_URL/;
    expect(given.filter((name) => secret.test(name))).toEqual([]);
    expect(Object.keys(stringData).filter((name) => !secret.test(name))).toEqual([]);
  });
});

const withKubectl = has('kubectl') ? describe : describe.skip;
if (!has('kubectl'))
  process.stdout.write('kubectl is not installed: what kustomize makes is not looked at\n');

withKubectl('what kustomize makes of the example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-manifests-'));
  let manifests: readonly Manifest[] = [];
  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(FOLDER, 'example')], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const documents = [
      ...parseAllDocuments(stdout),
      ...parseAllDocuments(read('example/secret.example.yaml')),
    ];
    manifests = documents.map((document) => document.toJS() as Manifest);
    writeFileSync(join(folder, 'all.yaml'), `${stdout}\n---\n${read('example/secret.example.yaml')}`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds everything, in one namespace', () => {
    const kinds = 'ConfigMap Deployment HTTPRoute HorizontalPodAutoscaler Namespace NetworkPolicy ';
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(
      `${kinds}PersistentVolumeClaim PodDisruptionBudget PodMonitor Secret Service ServiceAccount`.split(' '),
    );
    for (const { kind, metadata } of manifests)
      expect([kind, metadata.namespace]).toEqual([kind, kind === 'Namespace' ? undefined : 'annals']);
  });

  it('reads its settings from the map that was made, and from the secret', () => {
    const map = manifests.find(({ kind }) => kind === 'ConfigMap');
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(deployment?.spec['template']?.['spec']?.['containers']?.[0]?.['envFrom']).toEqual([
      { configMapRef: { name: map?.metadata.name } },
      { secretRef: { name: 'annals' } },
    ]);
    expect(Object.keys(map?.data ?? {})).toEqual(expect.arrayContaining(['PROBE_PORT', 'OPENAI_BASE_URL']));
  });

  it("is what Kubernetes' own schemas take, with no field that they do not know", () => {
    if (!has('kubectl-validate') || !existsSync(CUSTOM_RESOURCES)) {
      process.stdout.write('kubectl-validate is not here: the manifests are not held against schemas\n');
      return;
    }
    const words = [folder, '--local-crds', CUSTOM_RESOURCES, '--version', '1.30'];
    const { status, stdout, stderr } = spawnSync('kubectl-validate', words, { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('OK')]);
  });
});
