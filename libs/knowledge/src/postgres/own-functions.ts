import type { Client } from 'pg';
import { sql, statement } from '#postgres';
import { DatabaseRefusal } from '../callers-database.js';
import { HARMLESS_FUNCTIONS } from './harmless-functions.js';
import { type StatementNames, mayNotBeCalled } from './read-statement.js';

/** Extensions whose functions compute from what they are given. Those that may change something are volatile. */
const HARMLESS_EXTENSIONS = [
  'citext',
  'cube',
  'earthdistance',
  'fuzzystrmatch',
  'hstore',
  'intarray',
  'isn',
  'ltree',
  'pg_trgm',
  'postgis',
  'seg',
  'unaccent',
  'vector',
];

/** Roles that reach files and programs of the server, which no transaction holds back. */
const OUTSIDE_ROLES = ['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'];

interface NamesToCheck {
  /** Functions that are harmless where they are the server's own. */
  readonly listed: readonly string[];
  readonly unlisted: readonly string[];
  /** What may be a column, or a call written like one; not listed. */
  readonly attributes: readonly string[];
  readonly operators: readonly string[];
  readonly types: readonly string[];
}
const listed = (names: NamesToCheck): readonly string[] => names.listed;
const unlisted = (names: NamesToCheck): readonly string[] => names.unlisted;
const attributes = (names: NamesToCheck): readonly string[] => names.attributes;
const operators = (names: NamesToCheck): readonly string[] => names.operators;
const types = (names: NamesToCheck): readonly string[] => names.types;

/**
 * What of a statement's names is more than it seems: functions, operators, types and casts of the database's own. By the
 * search path a call goes to whatever fits best, so that a name of the server's own is not enough. What an extension
 * makes of a built-in name or an operator is its usual meaning there.
 */
const OWN = statement(sql<NamesToCheck>`
  WITH
    schemas AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = ANY (current_schemas(true))),
    members AS (SELECT d.classid, d.objid, e.extname FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_extension e ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND e.oid = d.refobjid
      WHERE d.deptype = 'e'),
    functions AS (SELECT p.oid, p.proname, p.pronargs - p.pronargdefaults AS needs, p.pronargs AS takes,
        p.provariadic <> 0 AS is_variadic, p.pronamespace = 'pg_catalog'::regnamespace AS is_servers, m.extname,
        p.provolatile <> 'v' AND m.extname = ANY (${() => HARMLESS_EXTENSIONS}::text[]) AND (m.extname <> 'postgis' OR p.proname LIKE 'st\\_%')
          AS is_harmless
      FROM pg_catalog.pg_proc p
      LEFT JOIN members m ON m.classid = 'pg_catalog.pg_proc'::regclass AND m.objid = p.oid
      WHERE p.pronamespace IN (SELECT oid FROM schemas))
  SELECT 'called' AS what, proname::text AS name FROM functions
    WHERE proname = ANY (${listed}::text[]) AND NOT is_servers AND extname IS NULL
  UNION ALL
  SELECT CASE WHEN coalesce(is_harmless, false) THEN 'harmless' ELSE 'called' END, proname::text FROM functions
    WHERE proname = ANY (${unlisted}::text[])
  UNION ALL
  SELECT 'called', proname::text FROM functions
    WHERE proname = ANY (${attributes}::text[]) AND NOT coalesce(is_harmless, false) AND (takes > 0 AND needs <= 1 OR is_variadic)
  UNION ALL
  SELECT 'operator', o.oprname::text FROM pg_catalog.pg_operator o
    LEFT JOIN members m ON m.classid = 'pg_catalog.pg_operator'::regclass AND m.objid = o.oid
    WHERE o.oprname = ANY (${operators}::text[]) AND o.oprnamespace IN (SELECT oid FROM schemas)
      AND o.oprnamespace <> 'pg_catalog'::regnamespace AND m.extname IS NULL
  UNION ALL
  SELECT 'type', t.typname::text FROM pg_catalog.pg_type t
    LEFT JOIN members m ON m.classid = 'pg_catalog.pg_type'::regclass AND m.objid = t.oid
    WHERE t.typname = ANY (${types}::text[]) AND t.typnamespace <> 'pg_catalog'::regnamespace AND m.extname IS NULL
      AND t.typtype <> 'e'
      AND NOT (t.typtype = 'd' AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid))
  UNION ALL
  SELECT 'type', t.typname::text FROM pg_catalog.pg_cast c
    JOIN pg_catalog.pg_type t ON t.oid = c.casttarget
    JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc
    LEFT JOIN members m ON m.classid = 'pg_catalog.pg_proc'::regclass AND m.objid = p.oid
    WHERE t.typname = ANY (${types}::text[] || ${listed}::text[] || ${unlisted}::text[] || ${attributes}::text[])
      AND p.pronamespace <> 'pg_catalog'::regnamespace AND m.extname IS NULL`);

const ROLES = statement(sql<void>`
  SELECT r.rolname::text FROM pg_catalog.pg_roles r
  WHERE r.rolsuper AND r.rolname IN (current_user, session_user)
    OR r.rolname = ANY (${() => OUTSIDE_ROLES}::text[]) AND pg_catalog.pg_has_role(r.oid, 'MEMBER')
  ORDER BY r.rolsuper DESC, r.rolname LIMIT 1`);

/** Asks the database about a statement's names, in the transaction in which it will run. @throws DatabaseRefusal */
export async function requireNoOwnFunctions(client: Client, names: StatementNames): Promise<void> {
  const isListed = (name: string): boolean => HARMLESS_FUNCTIONS.has(name);
  const both = [...names.functions, ...names.attributes];
  const unlisted = [...names.functions].filter((name) => !isListed(name));
  const { rows } = await client.query<{ what: string; name: string }>(
    OWN({
      listed: both.filter(isListed),
      unlisted,
      attributes: [...names.attributes].filter((name) => !isListed(name)),
      operators: [...names.operators],
      types: [...names.types],
    }),
  );
  const harmless = new Set(rows.flatMap(({ what, name }) => (what === 'harmless' ? [name] : [])));
  for (const { what, name } of rows) {
    if (what === 'called') throw mayNotBeCalled(name);
    if (what === 'operator' || what === 'type')
      throw new DatabaseRefusal(
        `the ${what} ${name} may not be used here: the database has functions behind it`,
      );
  }
  // What was not found anywhere may be there in a moment.
  const unknown = unlisted.find((name) => !harmless.has(name));
  if (unknown !== undefined) throw mayNotBeCalled(unknown);
}

/** What makes the role unfit to read and nothing else, or null. */
export async function faultOfRole(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ rolname: string }>(ROLES());
  const [role] = rows;
  if (role === undefined) return null;
  const may = OUTSIDE_ROLES.includes(role.rolname) ? `has ${role.rolname}` : 'is a superuser';
  return `the role ${may}, so that what it reads is not confined to the database`;
}
