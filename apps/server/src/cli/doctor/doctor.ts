import { type Settings, SettingsRefused, misspelledSettings, readSettings } from '#platform';
import type { CommandArgs } from '../command.js';
import { ask, serviceUrl } from '../service-address.js';
import { checkClock } from './clock.js';
import { checkDisk } from './disk.js';
import { type Finding, fault, lineOf, ok, warning } from './finding.js';
import { type Readiness, readinessIn } from './readiness.js';
import { checkDatabase, checkLog } from './stores.js';
import { checkModel } from './model.js';

const FAULTY = 1;

/** `annals doctor`: a line for each thing that the service needs. The exit code is 1 where there is a fault. */
export async function run({ flags }: CommandArgs): Promise<number> {
  const items = await findings(process.env);
  process.stdout.write(
    flags.has('--json') ? `${JSON.stringify({ items })}\n` : `${items.map(lineOf).join('\n')}\n`,
  );
  return items.some(({ status }) => status === 'fault') ? FAULTY : 0;
}

async function findings(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const settings = settingsOf(env);
  const first = [ok('node', process.version), ...spellings(env)];
  // What a wrong setting means nobody knows, so nothing is looked at that hangs on one.
  if (settings instanceof SettingsRefused)
    return [fault('settings', settings.message, 'nothing else was looked at'), ...first];
  const { url } = serviceUrl(settings, env);
  const answer = await ask(`${url}/readyz`);
  const readiness = answer === null ? null : readinessIn(answer.text);
  const model = await checkModel(settings);
  const database = await checkDatabase(settings, readiness);
  return [
    ok('settings', 'each has a value that it takes'),
    ...first,
    serviceFinding(url, readiness),
    await checkDisk(settings.dataDir),
    await checkLog(settings, readiness),
    database.finding,
    model.finding,
    checkClock(Date.now(), [database.time, model.time]),
  ];
}

function settingsOf(env: NodeJS.ProcessEnv): Settings | SettingsRefused {
  try {
    return readSettings(env);
  } catch (error) {
    if (error instanceof SettingsRefused) return error;
    throw error;
  }
}

const spellings = (env: NodeJS.ProcessEnv): Finding[] =>
  misspelledSettings(env).map(({ name, meant }) =>
    warning('settings', `${name} is no setting`, `set ${meant} if that was meant`),
  );

function serviceFinding(url: string, readiness: Readiness | null): Finding {
  if (readiness === null) return ok('service', `none answers at ${url}`);
  if (readiness.status === 'ok') return ok('service', `ready at ${url}`);
  return fault('service', `runs at ${url} and is not ready`, 'see the lines below and its log');
}
