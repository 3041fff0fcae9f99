import { type FieldError } from '#domain';
import { type NewDatastore, connectionFault } from '#knowledge';
import { Optional, OptionalObject, Required, check } from '../../edge/validation/fields.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import {
  described,
  filledText,
  flag,
  nameText,
  oneOf,
  text,
  wholeNumber,
} from '../../edge/validation/rules.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../edge/validation/query.js';
import { invalidFields } from '../../edge/problems/invalid-fields.js';

const url = filledText(LENGTHS.url);
const CONNECTION = { ...url.schema, pattern: '^(postgres|postgresql|mysql|mariadb)://' };

const connectionString = described(CONNECTION, (value) => {
  const fault = url(value);
  if (fault !== null || typeof value !== 'string') return fault;
  const message = connectionFault(value);
  return message === null ? null : { message };
});

class MetadataDto {
  @Optional(connectionString) readonly connectionString?: string;
  @Optional(flag) readonly readOnly?: boolean;
}

export class NewDatastoreDto {
  @Required(nameText) readonly name!: string;
  @Required(oneOf('database', 'documents')) readonly type!: 'database' | 'documents';
  @OptionalObject(MetadataDto) readonly metadata?: MetadataDto;
}

export class SearchDto {
  @Required(text(LENGTHS.query)) readonly query!: string;
  @Optional(wholeNumber(1, MAX_LIMIT)) readonly limit?: number;
}

/** The body of `POST /create-datastore`. @throws Problem invalid_request */
export function parseNewDatastore(body: unknown): NewDatastore {
  const errors = check(NewDatastoreDto, body);
  if (errors.length > 0) throw invalidFields(errors);
  const { name, type, metadata = {} } = body as NewDatastoreDto;
  const fault = type === 'database' ? missingIn(metadata) : foreignIn(metadata);
  if (fault !== null) throw invalidFields([fault]);
  return {
    name,
    type,
    ...(metadata.connectionString === undefined ? {} : { connectionString: metadata.connectionString }),
    ...(metadata.readOnly === false ? { isWritable: true } : {}),
  };
}

const missingIn = ({ connectionString }: MetadataDto): FieldError | null =>
  connectionString === undefined ? { path: 'metadata.connectionString', message: 'is required' } : null;

function foreignIn(metadata: MetadataDto): FieldError | null {
  const [field] = Object.keys(metadata);
  return field === undefined ? null : { path: `metadata.${field}`, message: 'is for databases only' };
}

/** The body of `POST /datastores/{id}/search`. @throws Problem invalid_request */
export function parseSearch(body: unknown): { readonly query: string; readonly limit: number } {
  const errors = check(SearchDto, body);
  if (errors.length > 0) throw invalidFields(errors);
  const { query, limit = DEFAULT_LIMIT } = body as SearchDto;
  if (query.trim() === '') throw invalidFields([{ path: 'query', message: 'must not be empty' }]);
  return { query, limit };
}
