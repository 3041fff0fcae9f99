import { tokensOf } from './tokens.js';

/**
 * Functions of PostgreSQL that reach beyond the transaction, so that it cannot hold them back: other connections, files of
 * the server, other sessions, and those that run a text as SQL, in which these could hide.
 */
const OUTSIDE =
  /^(?:dblink\w*|lo_(?:export|import)|pg_file_\w+|pg_(?:terminate|cancel)_backend|pg_(?:reload_conf|rotate_logfile|switch_wal|promote|create_restore_point|logical_emit_message|stat_reset\w*|replication_\w+)|query_to_xml\w*|ts_stat|ts_rewrite)$/i;

/** A function of a statement that reads that it may not call, or null. */
export function outsideFunctionIn(sql: string): string | null {
  const tokens = tokensOf(sql, 'postgres').filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' && kind !== 'identifier') continue;
    // Written with escapes a name could be any other.
    if (/^u&/i.test(text)) return text;
    const name = text.replace(/^"(.*)"$/s, '$1');
    if (OUTSIDE.test(name) && tokens[index + 1]?.text === '(') return name;
  }
  return null;
}
