import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ServiceProcess, startScript } from '../support/service-process.js';
import { until } from '../support/until.js';

describe('the production start', () => {
  it('is what npm start runs', () => {
    expect(startScript()).toBe(
      'exec node --max-semi-space-size=32 --heap-growing-percent=120 --v8-pool-size=1 --no-maglev-destroy-on-background .ci/start.mjs',
    );
    expect(spawnSync('node_modules/.bin/node', ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^v24\./);
  });

  it('loads the clients of EventStoreDB and Kafka only where they are configured', async () => {
    const service = await ServiceProcess.prepare();
    try {
      const imports = [NAMES_CLIENTS];
      await service.launch({ imports });
      expect(clientsIn(service.output)).toEqual([]);
      await service.kill();
      await service.launch({ imports, env: { KAFKA_BROKERS: '127.0.0.1:1' } });
      expect(clientsIn(service.output)).toEqual(['kafkajs']);
      await service.kill();
      const ANNALS_MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
      service.spawn({
        imports,
        env: { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', ANNALS_MASTER_KEY },
      });
      await until(
        () => service.output.includes('waiting for EventStoreDB'),
        () => service.output,
      );
      expect(clientsIn(service.output)).toEqual(['@eventstore/db-client', 'kafkajs']);
    } finally {
      await service.dispose();
    }
  });
});

/** A module that says which of these packages are loaded after it. */
const NAMES_CLIENTS = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    const name = /node_modules\\/(kafkajs|@eventstore\\/db-client)\\//.exec(url)?.[1];
    if (name !== undefined) console.log('loads ' + name);
    return next(url, context);
  } });`,
)}`;

const clientsIn = (output: string): string[] =>
  [...new Set([...output.matchAll(/^loads (.*)$/gm)].map(([, name]) => name!))].sort();
