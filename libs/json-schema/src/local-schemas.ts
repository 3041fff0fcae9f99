import { answerSchemaRequest } from './schema-requests.js';
import { type SchemaVerdict, Schemas } from './schemas.js';
import type { Validation } from './validation.js';

/** Schemas in this very thread: for the simulation and for tests, whose schemas are their own. */
export class LocalSchemas extends Schemas {
  override async check(schema: object, path: string): Promise<SchemaVerdict> {
    const found = answerSchemaRequest({ kind: 'check', schema });
    if ('ok' in found) throw new TypeError('a check is answered as one');
    if (found.kind === 'accepted') return found;
    return { kind: 'refused', error: { path: path + found.at, message: found.message } };
  }

  override async validate(schema: object, value: unknown): Promise<Validation> {
    return answerSchemaRequest({ kind: 'validate', schema, value }) as Validation;
  }

  override async validateText(schema: object, text: string): Promise<Validation> {
    return answerSchemaRequest({ kind: 'validate_text', schema, text }) as Validation;
  }
}
