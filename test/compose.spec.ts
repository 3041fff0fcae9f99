import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { settingNames } from '#platform';

interface ComposeService {
  readonly profiles: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const { services } = parse(text, { merge: true }) as { services: Readonly<Record<string, ComposeService>> };
const PROFILES = ['embedded', 'replicas', 'monitoring'];

/** What OpenTelemetry's own library reads. */
const OF_OPENTELEMETRY = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_SERVICE_NAME'];

const namesIn = (profile: string): string[] =>
  Object.entries(services).flatMap(([name, { profiles }]) => (profiles.includes(profile) ? [name] : []));

describe('docker-compose.yml', () => {
  it.each(['annals', 'annals-1', 'annals-2'])('hands every setting on to %s, and nothing else', (name) => {
    // These are the image's.
    const fixed = ['HOST', 'PORT', 'DATA_DIR'];
    const passed = Object.keys(services[name]?.environment ?? {});
    expect(passed.toSorted()).toEqual(
      [...settingNames(), ...OF_OPENTELEMETRY].filter((of) => !fixed.includes(of)).toSorted(),
    );
    for (const [variable, value] of Object.entries(services[name]?.environment ?? {}))
      expect(value).toEqual(expect.stringContaining(`\${${variable}:-`));
  });

  it('starts one container with the profile embedded, which depends on nothing', () => {
    expect(namesIn('embedded')).toEqual(['annals']);
    expect(services['annals']?.depends_on).toBeUndefined();
  });

  it.each(PROFILES)('has a profile %s that is whole by itself', (profile) => {
    const names = namesIn(profile);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const needs = services[name]?.depends_on ?? [];
      for (const need of Array.isArray(needs) ? needs : Object.keys(needs)) expect(names).toContain(need);
    }
  });

  it('has no service that no profile starts', () => {
    expect(new Set(PROFILES.flatMap(namesIn))).toEqual(new Set(Object.keys(services)));
  });

  it('mounts files that are there', () => {
    const mounted = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => volume.slice(0, volume.indexOf(':')));
    expect(mounted.length).toBeGreaterThan(3);
    expect(mounted.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('is asked for nothing in .env.example that it does not read', () => {
    const example = readFileSync('deploy/.env.example', 'utf8');
    const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const read = new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name));
    read.add('COMPOSE_PROFILES').add('ANNALS_METRICS_KEY');
    expect(names.filter((name) => !read.has(name))).toEqual([]);
  });

  it.each(PROFILES)('is taken by Docker Compose itself: %s', (profile) => {
    const [command = '', ...words] = composeCommand();
    if (command === '') {
      process.stdout.write('docker compose is not installed: its own check of the file is skipped\n');
      return;
    }
    const given = ['--env-file', 'deploy/.env.example', '--profile', profile, 'config', '--format', 'json'];
    const env = { ...process.env, COMPOSE_PROFILES: profile, ANNALS_METRICS_KEY: 'k', MAX_RUNS: '7' };
    const { status, stdout, stderr } = spawnSync(command, [...words, ...given], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('level=error')]);
    const config = JSON.parse(stdout) as { services: Record<string, ComposeService> };
    expect(Object.keys(config.services).toSorted()).toEqual(namesIn(profile).toSorted());
    for (const [name, { environment }] of Object.entries(config.services))
      if (name.startsWith('annals')) expect(environment?.['MAX_RUNS']).toBe('7');
  });
});

/** Empty where neither the plugin nor the program is there. */
function composeCommand(): readonly string[] {
  const there = (...words: readonly [string, ...string[]]): boolean =>
    spawnSync(words[0], [...words.slice(1), 'version']).status === 0;
  if (there('docker', 'compose')) return ['docker', 'compose'];
  return there('docker-compose') ? ['docker-compose'] : [];
}
