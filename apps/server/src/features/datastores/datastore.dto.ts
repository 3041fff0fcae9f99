import { IsBoolean, IsIn, IsInt, Matches, Max, Min } from 'class-validator';
import { type NewDatastore, connectionFault } from '#knowledge';
import { invalidFields } from '../../edge/problems/invalid-fields.js';
import {
  Describe,
  IsFilledText,
  IsForeign,
  IsName,
  IsText,
  MayBeOmitted,
  NestedWhere,
  Satisfies,
} from '../../edge/validation/decorators.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../edge/validation/query-dtos.js';
import { type Rule, described } from '../../edge/validation/rules.js';

const connection: Rule = described({ pattern: '^(postgres|postgresql|mysql|mariadb)://' }, (value) => {
  const message = connectionFault(String(value));
  return message === null ? null : { message };
});

const FOR_DATABASES = 'is for databases only';

class MetadataDto {
  @MayBeOmitted()
  @IsFilledText(LENGTHS.url)
  @Satisfies('isConnection', connection)
  @Describe({ description: 'For databases. Encrypted at rest, never shown again.' })
  readonly connectionString?: string;

  @MayBeOmitted()
  @IsBoolean()
  @Describe({ description: "false lets the caller's own queries write.", default: true })
  readonly readOnly?: boolean;
}

class DocumentsMetadataDto {
  @IsForeign(FOR_DATABASES)
  readonly connectionString?: never;

  @IsForeign(FOR_DATABASES)
  readonly readOnly?: never;
}

/** The body of `POST /create-datastore`. */
export class NewDatastoreDto {
  @IsName()
  readonly name!: string;

  @IsIn(['database', 'documents'])
  readonly type!: 'database' | 'documents';

  @MayBeOmitted()
  @NestedWhere<NewDatastoreDto>(({ type }) => type !== 'documents', MetadataDto, DocumentsMetadataDto)
  readonly metadata?: MetadataDto;
}

/** The body of `POST /datastores/{id}/search`. */
export class SearchDto {
  @IsText(LENGTHS.query)
  @Matches(/\S/, { message: 'must not be empty' })
  @Describe({ minLength: 1 })
  readonly query!: string;

  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  readonly limit: number = DEFAULT_LIMIT;
}

/** @throws Problem invalid_request where a database has no connection string */
export function newDatastoreOf({ name, type, metadata = {} }: NewDatastoreDto): NewDatastore {
  const { connectionString, readOnly } = metadata;
  if (type === 'database' && connectionString === undefined)
    throw invalidFields([{ path: 'metadata.connectionString', message: 'is required' }]);
  return {
    name,
    type,
    ...(connectionString === undefined ? {} : { connectionString }),
    ...(readOnly === false ? { isWritable: true } : {}),
  };
}
