import { EntitySchema } from 'typeorm';
import type { Fields, StoredRow, Table } from '#postgres';
import { ACTIONS } from '../tables/actions.js';
import { CALLBACKS } from '../tables/callbacks.js';
import { RUN_METADATA } from '../tables/run-metadata.js';
import { RUNS } from '../tables/runs.js';
import { SESSIONS } from '../tables/sessions.js';
import { TASKS } from '../tables/tasks.js';

/** As TypeORM's query builder knows a table: its properties are the columns, by their names, with what the driver reads. */
export function entityOf({ name, columns }: Table<Fields>): EntitySchema<StoredRow> {
  return new EntitySchema<StoredRow>({
    name,
    columns: Object.fromEntries(
      columns.map((column) => [
        column.name,
        { type: column.type, primary: column.isKey, nullable: column.isNullable },
      ]),
    ),
  });
}

/** The tables that lists are made of. */
export const ENTITIES: readonly EntitySchema<StoredRow>[] = [
  SESSIONS,
  RUNS,
  TASKS,
  ACTIONS,
  CALLBACKS,
  RUN_METADATA,
].map(entityOf);
