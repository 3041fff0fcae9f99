import { type SpawnOptions, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** How the programs of PostgreSQL are started, which refuse to be root. */
export interface Account {
  /** Who owns the data folder; null: the account of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Said in a log line. */
  readonly name: string;
  command(
    program: string,
    args: readonly string[],
  ): { readonly file: string; readonly args: readonly string[] };
  readonly spawn: Pick<SpawnOptions, 'uid' | 'gid'>;
}

const AS_WE_ARE: Account = {
  owner: null,
  name: 'the same user',
  command: (file, args) => ({ file, args }),
  spawn: {},
};

/**
 * An account that may run PostgreSQL and reach `programs` and `folder`. As root that is `nobody`; where it cannot get
 * through the folders above (a checkout in /root), a user namespace of one's own does, if the system has them.
 * @throws Error with a line for the operator
 */
export function chooseAccount(programs: string, folder: string): Account {
  if (process.getuid?.() !== 0) return AS_WE_ARE;
  const parent = dirname(folder);
  const isOurs = statSync(parent).uid === 0;
  if (isOurs && (statSync(parent).mode & 0o777) !== 0o711) chmodSync(parent, 0o711);
  const closed = closedFolder(programs) ?? closedFolder(parent);
  if (closed === null) return nobody();
  if (hasUserNamespaces()) return IN_NAMESPACE;
  throw new Error(
    `the user nobody, who has to run the embedded PostgreSQL, cannot enter ${closed}: do not run as root, ` +
      'move the service and DATA_DIR, or set DATABASE_URL',
  );
}

/** Gives a file or folder to the account. */
export function own(path: string, account: Account, mode: number): void {
  if (account.owner !== null) chownSync(path, account.owner.uid, account.owner.gid);
  chmodSync(path, mode);
}

function nobody(): Account {
  const [, uid = '65534', gid = '65534'] =
    /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  const owner = { uid: Number(uid), gid: Number(gid) };
  return { ...AS_WE_ARE, owner, name: 'nobody', spawn: owner };
}

/** Inside it is user 1000 and has no rights over the system; outside, files see it as their owner, root. */
const NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000'];

const IN_NAMESPACE: Account = {
  owner: null,
  name: 'an unprivileged user of its own namespace',
  command: (program, args) => ({ file: 'unshare', args: [...NAMESPACE, '--', program, ...args] }),
  spawn: {},
};

const hasUserNamespaces = (): boolean => spawnSync('unshare', [...NAMESPACE, '--', 'true']).status === 0;

/** The first folder on the way to `path` that others cannot pass. */
function closedFolder(path: string): string | null {
  for (let at = resolve(path); ; at = dirname(at)) {
    const { mode } = statSync(at);
    if ((mode & 0o001) === 0) return at;
    if (at === dirname(at)) return null;
  }
}
