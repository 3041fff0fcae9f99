import { readSettings } from '#platform';
import type { CommandArgs } from '../command.js';
import { withKeyring } from './open-keyring.js';

/** `annals keys create`: the one time that the key and its webhook secret are shown. */
export async function run({ operands: [name = ''], flags, values }: CommandArgs): Promise<number> {
  const scopes = (values.get('--scopes') ?? 'run,read').split(',').map((scope) => scope.trim());
  const [project, expiresAt] = [values.get('--project'), values.get('--expires-at')];
  const wish = {
    name,
    scopes,
    ...(project === undefined ? {} : { project }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
  const made = await withKeyring(readSettings(), (keys) => keys.create(wish));
  process.stdout.write(
    flags.has('--json')
      ? `${JSON.stringify(made)}\n`
      : `id              ${made.id}\nkey             ${made.key}\nwebhook secret  ${made.webhook_secret}\n`,
  );
  if (!flags.has('--json')) process.stderr.write('key and secret are shown this once\n');
  return 0;
}
