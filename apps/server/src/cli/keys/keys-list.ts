import { readSettings } from '#platform';
import type { CommandArgs } from '../command.js';
import type { ListedKey } from './keyring.js';
import { withKeyring } from './open-keyring.js';

/** `annals keys list`: a line a key; what is unknown or never is a dash. */
export async function run({ flags }: CommandArgs): Promise<number> {
  const items = await withKeyring(readSettings(), (keys) => keys.list());
  process.stdout.write(flags.has('--json') ? `${JSON.stringify({ items })}\n` : tableOf(items));
  return 0;
}

const HEAD = ['id', 'name', 'project', 'scopes', 'created', 'expires', 'last used'];

function tableOf(keys: readonly ListedKey[]): string {
  const rows = [
    HEAD,
    ...keys.map(({ id, name, project, scopes, created_at, expires_at, last_used_at }) =>
      [id, name, project, scopes.join(','), created_at, expires_at, last_used_at].map((cell) => cell ?? '-'),
    ),
  ];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(lineOf).join('\n')}\n`;
}
