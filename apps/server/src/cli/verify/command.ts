import type { Command } from '../command.js';

export const VERIFY: Command = {
  name: 'verify',
  summary: 'says how far an export of a session can be believed',
  operands: ['file'],
  options: {
    '--policy': { value: 'FILE', meaning: 'whom you believe: keys of logs and witnesses (tlog-policy)' },
    '--receipt': {
      value: 'FILE',
      meaning: 'a receipt that you kept, or values of the header annals-receipt; may be given again',
      repeats: true,
    },
    '--as-of': { value: 'TIME', meaning: 'witnesses must have seen it then or later, ISO 8601' },
  },
  flags: {
    '--strict': 'ends with 3 where there is a warning',
    '--json': 'says it as JSON, for a program',
  },
  details:
    'Reads nothing but these files, and asks no network (docs/proof.md). Ends with 0 where the file is verified, with 1 where it ' +
    'fails, naming the event, with 2 where it, a policy or a receipt cannot be used. Without a policy anybody can have made ' +
    'the file.',
  isWithoutSettings: true,
  load: () => import('./verify.js'),
};
