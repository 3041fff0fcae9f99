import { CHECKPOINTS, PostgresCheckpoints, createTable, raw, statement } from '#postgres';
import { DATASTORES } from './datastores-table.js';
import { DOCUMENTS } from './documents-table.js';

/** The tables of documents stand in a schema of their own: a rebuild of the read models does not touch them. */
export const SCHEMA = 'annals_knowledge';

/** For statements over the tables. */
export const IN = raw(SCHEMA);

/** How far the tables are. */
export const CHECKPOINT = new PostgresCheckpoints(SCHEMA, 'knowledge');

/**
 * Raised with every change of the tables: older ones are dropped and filled anew, from the log and the files, unless a step
 * leads from them to this version.
 */
export const VERSION = 3;

/** Marks the datastore of a passage among its lexemes, so that one index finds both. No parser makes such a lexeme. */
export const datastoreLexeme = (datastore: string): string => `@${datastore}`;

/** A count that is raised stays on its page, and in no index anew. */
const ROOM_FOR_COUNTS = 'fillfactor = 80';
/**
 * Each lexeme has a dozen trigrams: written one by one, a file of a million different words took five minutes. The list of
 * those that wait (in KB) is read through by each search for a word with a typing error.
 */
const IN_BUNDLES = 'fastupdate = on, gin_pending_list_limit = 1024';

/** @param schema of pg_trgm */
export const trigramIndex = (schema: string): string =>
  `CREATE INDEX ON ${SCHEMA}.lexemes USING gin (lexeme "${schema}".gin_trgm_ops) WITH (${IN_BUNDLES})`;

/** From version 2; the texts whose words are written otherwise now are not among it. */
export const FROM_2: readonly string[] = [
  `ALTER TABLE ${SCHEMA}.texts ADD COLUMN counted integer NOT NULL DEFAULT 0,
    ADD COLUMN is_gone boolean NOT NULL DEFAULT false`,
  `UPDATE ${SCHEMA}.texts SET counted = passages WHERE passages IS NOT NULL`,
  `CREATE INDEX ON ${SCHEMA}.texts (upload) WHERE is_gone`,
  `ALTER TABLE ${SCHEMA}.lexemes SET (${ROOM_FOR_COUNTS})`,
  // Its name is the server's choice of then; it is not there where pg_trgm was not.
  `DO $$ DECLARE found text; BEGIN
    FOR found IN SELECT indexrelid::regclass FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam
      WHERE indrelid = '${SCHEMA}.lexemes'::regclass AND amname = 'gin'
    LOOP EXECUTE format('ALTER INDEX %s SET (${IN_BUNDLES})', found); END LOOP;
  END $$`,
];

export const TABLES: readonly string[] = [
  statement(createTable(DATASTORES, IN))(undefined).text,
  `CREATE INDEX ON ${SCHEMA}.datastores (project, created_at, id)`,
  statement(createTable(DOCUMENTS, IN))(undefined).text,
  `CREATE INDEX ON ${SCHEMA}.documents (datastore, created_at, id)`,
  `CREATE UNIQUE INDEX ON ${SCHEMA}.documents (upload)`,
  // Who reads an upload's text, and what came of it: passages is null until all of them are there. `counted`: see countPiece.
  `CREATE TABLE ${SCHEMA}.texts (
    upload text PRIMARY KEY,
    datastore text NOT NULL,
    holder text NOT NULL,
    held_until timestamptz NOT NULL,
    attempts integer NOT NULL,
    passages integer,
    counted integer NOT NULL DEFAULT 0,
    is_gone boolean NOT NULL DEFAULT false
  )`,
  `CREATE TABLE ${SCHEMA}.passages (
    upload text NOT NULL,
    ordinal integer NOT NULL,
    page integer,
    position integer NOT NULL,
    words integer NOT NULL,
    language regconfig NOT NULL,
    text text NOT NULL,
    lexemes tsvector NOT NULL,
    PRIMARY KEY (upload, ordinal)
  )`,
  // Rows stay in one piece: ranking reads every candidate's lexemes several times.
  `ALTER TABLE ${SCHEMA}.passages SET (toast_tuple_target = 8160)`,
  `CREATE INDEX ON ${SCHEMA}.passages USING gin (lexemes) WITH (fastupdate = off)`,
  `CREATE INDEX ON ${SCHEMA}.texts (datastore)`,
  `CREATE INDEX ON ${SCHEMA}.texts (upload) WHERE is_gone`,
  // Text search configurations of a datastore's passages: a query is read in each of them.
  `CREATE TABLE ${SCHEMA}.languages (
    datastore text NOT NULL,
    language regconfig NOT NULL,
    PRIMARY KEY (datastore, language)
  )`,
  // In how many passages of a datastore a lexeme stands.
  `CREATE TABLE ${SCHEMA}.lexemes (
    datastore text NOT NULL,
    lexeme text COLLATE "C" NOT NULL,
    passages integer NOT NULL,
    PRIMARY KEY (datastore, lexeme)
  ) WITH (${ROOM_FOR_COUNTS})`,
  statement(createTable(CHECKPOINTS, IN))(undefined).text,
];
