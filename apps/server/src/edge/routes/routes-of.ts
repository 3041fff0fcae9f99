import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { termsOf } from './operation.js';
import type { Route } from './route-book.js';

/** The routes of controllers as their decorators state them, for whoever has no server to ask. */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap((controller) => {
    const prefix = read<string>(PATH_METADATA, controller) ?? '';
    const handlers = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
    return handlers.flatMap(({ value }: PropertyDescriptor): Route[] => {
      if (typeof value !== 'function') return [];
      const terms = termsOf(read(FASTIFY_ROUTE_CONFIG_METADATA, value));
      const method = RequestMethod[read<RequestMethod>(METHOD_METADATA, value) ?? RequestMethod.ALL];
      const path = read<string>(PATH_METADATA, value) ?? '';
      return terms === null ? [] : [{ method, url: join(prefix, path), terms }];
    });
  });
}

const read = <T>(key: string, of: object): T | undefined => Reflect.getMetadata(key, of) as T | undefined;

/** As Nest joins them. */
const join = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
