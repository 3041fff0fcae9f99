import { CHECKPOINTS, PostgresCheckpoints, createTable, raw, statement } from '#postgres';
import { DATASTORES } from './datastores-table.js';
import { DOCUMENTS } from './documents-table.js';

/** The tables of documents stand in a schema of their own: a rebuild of the read models does not touch them. */
export const SCHEMA = 'annals_knowledge';

/** For statements over the tables. */
export const IN = raw(SCHEMA);

/** How far the tables are. */
export const CHECKPOINT = new PostgresCheckpoints(SCHEMA, 'knowledge');

/** Raised with every change of the tables: older ones are dropped and filled anew, from the log and the files. */
export const VERSION = 2;

/** Marks the datastore of a passage among its lexemes, so that one index finds both. No parser makes such a lexeme. */
export const datastoreLexeme = (datastore: string): string => `@${datastore}`;

export const TABLES: readonly string[] = [
  statement(createTable(DATASTORES, IN))(undefined).text,
  `CREATE INDEX ON ${SCHEMA}.datastores (project, created_at, id)`,
  statement(createTable(DOCUMENTS, IN))(undefined).text,
  `CREATE INDEX ON ${SCHEMA}.documents (datastore, created_at, id)`,
  `CREATE UNIQUE INDEX ON ${SCHEMA}.documents (upload)`,
  // Who reads an upload's text, and what came of it: passages is null until all of them are there.
  `CREATE TABLE ${SCHEMA}.texts (
    upload text PRIMARY KEY,
    datastore text NOT NULL,
    holder text NOT NULL,
    held_until timestamptz NOT NULL,
    attempts integer NOT NULL,
    passages integer
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
  )`,
  statement(createTable(CHECKPOINTS, IN))(undefined).text,
];
