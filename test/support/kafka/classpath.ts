import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const POM = 'test/support/kafka/pom.xml';
const CACHE = 'node_modules/.cache/annals';

/** What a Kafka broker needs and is not here, for people; null: all is here. */
export function missingForKafka(): string | null {
  for (const [program, option] of [
    ['java', '-version'],
    ['mvn', '-version'],
  ] as const) {
    try {
      execFileSync(program, [option], { stdio: 'ignore' });
    } catch {
      return `${program} is not installed (Debian: apt-get install default-jre-headless maven)`;
    }
  }
  return null;
}

/** The class path of the broker's jars: Maven fetches them once into its own repository. */
export function kafkaClasspath(): string {
  const pom = resolve(POM);
  const digest = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16);
  const file = resolve(join(CACHE, `kafka-${digest}.classpath`));
  const known = readClasspath(file);
  if (known !== null) return known;
  mkdirSync(resolve(CACHE), { recursive: true });
  return alone(`${file}.lock`, () => readClasspath(file) ?? fetchJars(pom, file));
}

function fetchJars(pom: string, file: string): string {
  const draft = `${file}.draft`;
  execFileSync(
    'mvn',
    ['--batch-mode', '--quiet', '--file', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${draft}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  renameSync(draft, file);
  return readFileSync(file, 'utf8').trim();
}

const LOOK_MS = 200;
/** Whoever holds it longer is dead. */
const STALE_MS = 600_000;

/** One process at a time: Maven's repository is not made for two that fill it. */
function alone<T>(lock: string, work: () => T): T {
  while (!tryTake(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > STALE_MS) rmSync(lock, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryTake(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** null: it was never made, or a jar of it is gone. */
function readClasspath(file: string): string | null {
  if (!existsSync(file)) return null;
  const classpath = readFileSync(file, 'utf8').trim();
  return classpath.split(':').every((jar) => existsSync(jar)) ? classpath : null;
}
