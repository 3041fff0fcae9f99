import { readSettings } from '#platform';
import type { CommandArgs } from '../command.js';
import { withKeyring } from './open-keyring.js';

/** `annals keys revoke`. */
export async function run({ operands: [id = ''], flags }: CommandArgs): Promise<number> {
  await withKeyring(readSettings(), (keys) => keys.revoke(id, flags.has('--keep-tasks')));
  process.stdout.write(
    flags.has('--json') ? `${JSON.stringify({ id, revoked: true })}\n` : `${id} is revoked\n`,
  );
  return 0;
}
