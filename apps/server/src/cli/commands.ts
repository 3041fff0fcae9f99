import type { Command } from './command.js';
import { VERIFY } from './verify/command.js';
import { WITNESS } from './witness/command.js';

const JSON_FLAG = { '--json': 'says it as JSON, for a program' };

/** How `keys` finds the service: the same of all three. */
const WHERE =
  'Asks the service at ANNALS_URL (otherwise at HOST and PORT) with ANNALS_KEY or ANNALS_ADMIN_KEY, which must be an ' +
  'admin key. Where no service answers there and ANNALS_URL is not set, works on the log itself, as the first admin key.';

/** Every command, in the order of the help. A new one is an entry here and a module with `run`. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'start',
    summary: 'runs the service until SIGTERM, SIGINT or SIGHUP',
    details:
      'Settings are environment variables (docs/settings.md). Ends within 30 s of a signal; a second one ends it at once.',
    load: () => import('./start.js'),
  },
  {
    name: 'openapi',
    summary: 'prints the description of the interface, as /openapi.json answers it',
    details: 'OpenAPI 3.1. Needs no settings and starts nothing.',
    load: () => import('./openapi.js'),
  },
  {
    name: 'rebuild',
    summary: 'fills the read models anew from the log',
    details:
      'New tables take the place of those in use when they are complete; the tree of the proofs is made again by whoever ' +
      'seals next. Stop the service first where the log is embedded. Calls no model and sends nothing.',
    load: () => import('./rebuild.js'),
  },
  {
    name: 'rotate-master-key',
    summary: 'wraps the keys of content with a new master key',
    details:
      'The service may run. The new key is ANNALS_NEW_MASTER_KEY where ANNALS_MASTER_KEY is set; otherwise the key of ' +
      'DATA_DIR is replaced by one that is made here. Broken off, it goes on when it is called again (docs/privacy.md).',
    load: () => import('./rotate-master-key.js'),
  },
  {
    name: 'rotate-log-key',
    summary: 'makes the next key that signs the log, or ends the lowest one',
    flags: { '--retire': 'ends the lowest key; refused before a seal bears it and a later one' },
    details:
      'The service may run. From the next seal on all keys sign, so that those who check can take the new one over before ' +
      'the old one ends (docs/proof.md).',
    load: () => import('./rotate-log-key.js'),
  },
  {
    name: 'verify-log',
    summary: 'reads the whole log and says what is wrong with it',
    details:
      'Only reads: envelopes, runs, commitments, chains and seals (docs/log-format.md). Stop the service first where the log is ' +
      'embedded. Ends with 1 where something is wrong; runs that have not ended are counted and no fault.',
    load: () => import('./verify-log.js'),
  },
  VERIFY,
  WITNESS,
  {
    name: 'keys create',
    summary: 'makes an API key, and shows it this once',
    operands: ['name'],
    options: {
      '--scopes': { value: 'LIST', meaning: 'what it may do, with commas; default run,read' },
      '--project': { value: 'PROJECT', meaning: "default: the admin key's own" },
      '--expires-at': { value: 'TIME', meaning: 'ISO 8601; default: never' },
    },
    flags: JSON_FLAG,
    details: WHERE,
    load: () => import('./keys/keys-create.js'),
  },
  {
    name: 'keys list',
    summary: 'lists the API keys, newest first',
    flags: JSON_FLAG,
    details: WHERE,
    load: () => import('./keys/keys-list.js'),
  },
  {
    name: 'keys revoke',
    summary: 'revokes an API key: what it has open ends',
    operands: ['id'],
    flags: { '--keep-tasks': 'its tasks go on in its name', ...JSON_FLAG },
    details: WHERE,
    load: () => import('./keys/keys-revoke.js'),
  },
  {
    name: 'replay',
    summary: 'replays the runs of a time, and compares what they say',
    options: {
      '--from': { value: 'TIME', meaning: 'needed: of runs that were created then or later, ISO 8601' },
      '--to': { value: 'TIME', meaning: 'needed: and before that' },
      '--out': { value: 'FILE', meaning: 'needed: gets a JSON line a run; goes on with what it holds' },
      '--mode': { value: 'MODE', meaning: 'flash, base or max in place of their own' },
      '--model': { value: 'MODEL', meaning: 'a model in place of their own' },
      '--system': { value: 'FILE', meaning: 'a file with the system prompt in place of their own' },
      '--rules': { value: 'FILE', meaning: 'a file with a rule a line in place of their own' },
      '--tools': { value: 'WHICH', meaning: 'recorded (default) or none' },
      '--status': { value: 'STATUS', meaning: 'completed (default), failed, cancelled or all' },
      '--session': { value: 'SESSION', meaning: 'the runs of one session' },
      '--budget': { value: 'USD', meaning: 'starts none once the replays have cost that' },
      '--parallel': { value: 'N', meaning: 'at once; 4, at most 64' },
    },
    flags: JSON_FLAG,
    details:
      'Asks the service at ANNALS_URL (otherwise at HOST and PORT) with ANNALS_KEY, which needs the scopes run and read, or ' +
      'ANNALS_ADMIN_KEY. The model is asked; no tool is called (docs/replay.md). Broken off, it goes on when it is called ' +
      'again. Ends with 3 where the budget stopped it.',
    load: () => import('./replay/replay.js'),
  },
  {
    name: 'doctor',
    summary: 'looks whether everything that the service needs is there',
    flags: JSON_FLAG,
    details:
      'Settings, Node.js, disk, log, database, model and clock: a line each, ok, warning or fault, with what to do. The service ' +
      'may run or not. Changes nothing. Ends with 1 where there is a fault.',
    load: () => import('./doctor/doctor.js'),
  },
  {
    name: 'copy-log',
    summary: 'copies the log between DATA_DIR and EVENTSTORE_URL, and compares both',
    operands: [['to-eventstoredb', 'to-embedded']],
    flags: { '--resume': 'goes on with a copy that was broken off' },
    details: 'Stop the service first. The target must be empty. Then run `annals rebuild`.',
    load: () => import('./copy-log.js'),
  },
];
