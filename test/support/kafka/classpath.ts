import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
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
      return `${program} is not installed (Debian: apt-get install openjdk-17-jre-headless maven)`;
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
  const draft = `${file}.${process.pid}`;
  execFileSync(
    'mvn',
    ['--batch-mode', '--quiet', '--file', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${draft}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  renameSync(draft, file);
  return readFileSync(file, 'utf8').trim();
}

/** null: it was never made, or a jar of it is gone. */
function readClasspath(file: string): string | null {
  if (!existsSync(file)) return null;
  const classpath = readFileSync(file, 'utf8').trim();
  return classpath.split(':').every((jar) => existsSync(jar)) ? classpath : null;
}
