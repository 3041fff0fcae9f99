import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { describe, expect, it } from '@jest/globals';
import { termsOf } from '../edge/routes/operation.js';
import { fieldsOf } from '../edge/validation/dto-fields.js';
import type { Dto } from '../edge/validation/field-notes.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from './controllers.js';

const isDto = (type: unknown): boolean => typeof type === 'function' && fieldsOf(type as Dto).size > 0;

/** The DTOs of a handler: those that its operation names, and those that its parameters are. */
function dtosOf(
  controller: Type,
  name: string,
): { readonly named: unknown[]; readonly taken: unknown[] } | null {
  const prototype = controller.prototype as Record<string, object>;
  const terms = termsOf(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, prototype[name] ?? {}));
  if (terms === null) return null;
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly unknown[];
  return {
    named: [terms.query, terms.body].filter((dto) => dto !== undefined),
    taken: types.filter(isDto),
  };
}

describe('a handler', () => {
  const handlers = [...API_CONTROLLERS, ...OPERATOR_CONTROLLERS].flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const dtos = dtosOf(controller, name);
      return dtos === null ? [] : [[`${controller.name}.${name}`, dtos] as const];
    }),
  );

  it('is found of every route', () => expect(handlers.length).toBeGreaterThan(30));

  it.each(handlers)('%s takes the DTOs that its operation names', (_, { named, taken }) => {
    expect(new Set(taken)).toEqual(new Set(named));
  });
});
