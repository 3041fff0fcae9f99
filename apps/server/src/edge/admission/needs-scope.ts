import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#domain';

/** What the admission hook knows of a route before anything of the body is read. */
export interface RouteTerms {
  /** null: open to everyone. */
  readonly scope: Scope | null;
  /** A key with this scope instead comes in, too. */
  readonly orScope?: Scope;
  /** A GET that streams: HEAD makes no sense there. */
  readonly isStream?: boolean;
  /** Tokens come in, too, where they reach the session that the request names. */
  readonly isForTokens?: boolean;
  /** Takes JSON. Any other route takes no body, or an empty object. */
  readonly takesBody?: boolean;
  /** Takes multipart/form-data and nothing else. */
  readonly takesFile?: boolean;
}

/** The scope that a key needs for this route. Every route has this or `@Open`, or the boot stops. */
export const NeedsScope = (scope: Scope, more: Omit<RouteTerms, 'scope'> = {}): MethodDecorator =>
  RouteConfig({ scope, ...more } satisfies RouteTerms);

/** Needs no key: health and docs only. */
export const Open = (): MethodDecorator => RouteConfig({ scope: null } satisfies RouteTerms);

/** Whether a request's route takes multipart/form-data. */
export const takesFile = ({ routeOptions }: FastifyRequest): boolean =>
  termsOf(routeOptions.config)?.takesFile === true;

/** The terms of a route's config, or null where it has none. */
export const termsOf = (config: unknown): RouteTerms | null =>
  typeof config === 'object' && config !== null && 'scope' in config ? (config as RouteTerms) : null;
