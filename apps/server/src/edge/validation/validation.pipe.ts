import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { fieldsOf } from './dto-fields.js';
import type { Dto } from './field-notes.js';
import { isRequired } from './field-schema.js';
import { validated } from './validate.js';

/**
 * Gives handlers whose parameter is a DTO an instance of it that keeps the rules of its decorators, and refuses everything
 * else with the fields that are wrong. Why it is not Nest's own: docs/decisions.
 */
@Injectable()
export class ValidationPipe implements PipeTransform<unknown, unknown> {
  /** @throws Problem invalid_request */
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const dto = metatype as Dto;
    const fields = [...fieldsOf(dto).values()];
    if (fields.length === 0) return value;
    // The interface says of a body without a field that is required that it may be left out.
    const isLeftOut = type === 'body' && value === undefined && !fields.some(isRequired);
    return validated(dto, isLeftOut ? {} : value);
  }
}
