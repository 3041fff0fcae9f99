import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { KnowledgeClient } from './knowledge-client.js';
import { KnowledgeHouse } from './knowledge-house.js';
import { KnowledgeRun } from './knowledge-run.js';

const TABLES = `
  CREATE TABLE ships (id integer PRIMARY KEY, name text NOT NULL, built date, crew jsonb, weight numeric);
  INSERT INTO ships VALUES
    (1, 'Vega', '1998-03-01', '{"cook": "Anna"}', 12.50),
    (2, 'Ora''s "?"', NULL, '{"mate": "Ben"}', 7),
    (3, 'Lyra', '2004-12-24', NULL, NULL);
  CREATE TABLE voyages (ship integer REFERENCES ships, port text);
  CREATE FUNCTION sink() RETURNS integer LANGUAGE sql AS 'DELETE FROM ships; SELECT 1';
  CREATE FUNCTION sneak() RETURNS integer LANGUAGE plpgsql AS
    $$ BEGIN PERFORM set_config('transaction_read_only', 'off', true); DELETE FROM ships; RETURN 1; END $$;
  CREATE FUNCTION upper(integer) RETURNS integer LANGUAGE sql AS 'DELETE FROM ships; SELECT 1';
  CREATE FUNCTION sink(ships) RETURNS integer LANGUAGE sql AS 'DELETE FROM ships; SELECT 1';
  CREATE FUNCTION sink(text) RETURNS boolean LANGUAGE sql AS 'DELETE FROM ships; SELECT true';
  CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT sink() = 1';
  CREATE OPERATOR === (FUNCTION = same, LEFTARG = text, RIGHTARG = text);
  CREATE DOMAIN sunk AS text CHECK (sink(VALUE));
  CREATE TYPE mood AS ENUM ('calm', 'rough');
  CREATE SEQUENCE numbers;
  CREATE EXTENSION dblink;
  CREATE EXTENSION pg_trgm;
  CREATE EXTENSION citext;
  CREATE ROLE reader LOGIN PASSWORD 'only reads';
  GRANT SELECT ON ships, voyages TO reader;
  CREATE ROLE filer LOGIN PASSWORD 'only reads' IN ROLE pg_read_server_files;
  CREATE ROLE nested LOGIN PASSWORD 'only reads' IN ROLE filer;
`;

/** A PostgreSQL of a caller, and a service that knows it as the datastore `shop`. */
export class CallersShop {
  readonly client = new KnowledgeClient(() => this.house.origin);
  shop = '';

  private constructor(
    readonly folder: string,
    readonly server: EmbeddedPostgres,
    readonly house: KnowledgeHouse,
    /** As the owner of the server. */
    readonly owner: Client,
    readonly rootUrl: string,
    /** As a role that only reads. */
    readonly url: string,
  ) {}

  static async open(): Promise<CallersShop> {
    const folder = mkdtempSync(join(tmpdir(), 'annals-callers-postgres-'));
    const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
    const server = new EmbeddedPostgres(join(folder, 'data'), ports);
    const house = await KnowledgeHouse.open({ egressAllow: '127.0.0.1' });
    const settings = await server.start();
    const owner = new Client(settings);
    await owner.connect();
    await owner.query(TABLES);
    const { user, password, host, port, database } = settings;
    const rootUrl = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const url = `postgres://reader:only%20reads@${host}:${port}/${database}`;
    const shop = new CallersShop(folder, server, house, owner, rootUrl, url);
    shop.shop = await shop.create(url);
    return shop;
  }

  make(connectionString: string, more: object = {}) {
    const metadata = { connectionString, ...more };
    return this.client.ask('POST', '/create-datastore', { name: 'shop', type: 'database', metadata });
  }

  async create(connectionString: string, more: object = {}): Promise<string> {
    const { status, body } = await this.make(connectionString, more);
    const text = JSON.stringify(body);
    if (status !== 201 || text.includes('postgres://')) throw new Error(`${status} ${text}`);
    return String(body['datastore_id']);
  }

  run(queries: { name: string; query: string }[] = [], id = this.shop): Promise<KnowledgeRun> {
    return KnowledgeRun.open(this.house, {
      datastores: [{ id, name: 'shop' }],
      queries: queries.map((query) => ({ description: 'd', ...query })),
    });
  }

  async close(): Promise<void> {
    await this.owner.end();
    await this.server.stop();
    await this.house.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
