import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/**
 * Packages of which something is used that they do not promise. Each is pinned to the version that was read, and what
 * reaches into it stands in one file. Another version is no fault: it says that somebody has to look before the pin moves.
 */
interface Pin {
  readonly name: string;
  readonly version: string;
  /** Where its promises end; absent: everything but the package itself is inside. */
  readonly inside?: string;
  /** The one file that may import what is inside of the package. */
  readonly file: string;
  readonly look: string;
}

const PINS: readonly Pin[] = [
  {
    name: 'kafkajs',
    version: '2.2.4',
    file: 'libs/delivery/src/kafka/kafkajs-internals.ts',
    look: 'src/protocol/requests/produce, src/protocol/encoder, src/protocol/recordBatch/crc32C and src/network/requestQueue: fast-produce-encoding.spec.ts holds the bytes against the client, test/integration/kafka* everything against a broker',
  },
  {
    name: 'ajv',
    inside: 'ajv/dist/compile/',
    version: '8.20.0',
    file: 'libs/json-schema/src/ajv-engine.ts',
    look: 'dist/compile/names (errors, vErrors), the order of RULES.rules and the code of anyOf, oneOf and propertyNames: compiled-schema.spec.ts',
  },
  {
    name: '@eventstore/db-client',
    version: '6.2.1',
    file: 'libs/eventstoredb/src/stubs.ts',
    look: 'generated/*_pb.js, and the paths of its services: messages.spec.ts, npm run test:contract',
  },
  {
    name: 'libpg-query',
    version: '18.1.5',
    file: 'libs/knowledge/src/postgres/statement-parser.ts',
    look: 'wasm/libpg-query.js: its functions that begin with an underscore, and the size of its answer',
  },
];

const read = (file: string): string => readFileSync(file, 'utf8');
const insideOf = ({ name, inside = `${name}/` }: Pin): string => inside;

/** What the programs name as a module, by file; tests may look into what they hold them against. */
const named = ['apps', 'libs']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((at) => join(folder, at)),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .flatMap((file) =>
    [...read(file).matchAll(/'((?:@[\w.-]+\/)?[\w-][\w.-]*\/[^'\s]+)'/g)].map(([, name = '']) => ({
      file,
      name,
    })),
  );

describe.each(PINS)('what is inside of $name', (pin) => {
  const { name, version, file, look } = pin;
  test(`is that of ${version}`, () => {
    const { version: installed } = JSON.parse(read(join('node_modules', name, 'package.json'))) as {
      version: string;
    };
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const advice = `Look at ${look}. Then write the new version here.`;
    const wanted = { installed: version, 'package.json': version, advice };
    expect({ installed, 'package.json': dependencies[name], advice }).toEqual(wanted);
  });

  test(`is imported by ${file} alone`, () => {
    const files = named.filter((one) => one.name.startsWith(insideOf(pin))).map((one) => one.file);
    expect([...new Set(files)]).toEqual([file]);
  });
});
