import type { Command } from '../command.js';

export const WITNESS: Command = {
  name: 'witness',
  summary: 'cosigns checkpoints of logs, as a witness or a monitor',
  options: {
    '--policy': { value: 'FILE', meaning: 'needed: its log lines say whose checkpoints (tlog-policy)' },
    '--name': {
      value: 'NAME',
      meaning: 'needed: of its key; a monitor, which reads every leaf, ends in /monitor',
    },
  },
  details:
    'Speaks tlog-witness on HOST and PORT until SIGTERM, SIGINT or SIGHUP, and prints its own line for policies. What it ' +
    'remembers and its key are in the file witness.db of DATA_DIR (docs/proof.md). A monitor reads at the URLs of the log ' +
    'lines (…/proof), with ANNALS_KEY where it is set.',
  load: () => import('./witness.js'),
};
