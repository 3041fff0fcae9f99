import type { DatabaseKind } from '../connection-string.js';
import { tokensOf } from './tokens.js';

/**
 * Functions that reach beyond the transaction, so that it cannot hold them back: other connections, files of the server,
 * other sessions, replication, and those that run a text as SQL, in which these could hide.
 */
const OUTSIDE: Readonly<Record<DatabaseKind, RegExp>> = {
  postgres: anyName(
    'dblink\\w*',
    'lo_(?:export|import)',
    'pg_file_\\w+',
    'pg_(?:read|read_binary|stat)_file\\w*',
    'pg_ls_\\w+',
    'pg_(?:terminate|cancel)_backend',
    'pg_(?:reload_conf|rotate_logfile\\w*|switch_wal|promote|create_restore_point|import_system_collations)',
    'pg_(?:stat_reset|replication|backup|wal_replay|logical|log|stat_statements_reset)\\w*',
    'pg_(?:start|stop)_backup',
    'pg_(?:create|drop|copy|sync)_\\w*slots?',
    'query_to_xml\\w*',
    'ts_stat|ts_rewrite|crosstab\\w*|connectby|xpath_table',
  ),
  mysql: anyName('load_file', 'sys_(?:exec|eval|get|set)'),
};

/** A function of a statement that reads that it may not call, or null. */
export function outsideFunctionIn(sql: string, kind: DatabaseKind): string | null {
  const tokens = tokensOf(sql, kind).filter((token) => token.kind !== 'blank' && token.kind !== 'comment');
  for (const [index, { kind: is, text }] of tokens.entries()) {
    if (is !== 'word' && is !== 'identifier') continue;
    // Written with escapes a name could be any other.
    if (/^u&/i.test(text)) return text;
    const name = text.replace(/^(["`])(.*)\1$/s, '$2');
    if (OUTSIDE[kind].test(name) && tokens[index + 1]?.text === '(') return name;
  }
  return null;
}

function anyName(...names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})$`, 'i');
}
