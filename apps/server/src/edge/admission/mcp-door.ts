import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import type { Settings } from '#platform';
import { PublicAddress } from '../public-address.js';

/** Where agents and editors call this service as an MCP server. */
export const MCP_PATH = '/mcp';
/** What says how to come in, for clients that were refused (RFC 9728, 3.1). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

export type McpDoorSettings = Partial<Pick<Settings, 'host' | 'statedPublicUrl' | 'corsOrigins'>>;

/**
 * What is asked of a request to `/mcp` besides a key: programs of the user's own machine send it, and pages in a browser
 * must not be able to have it sent (DNS rebinding). Refusals name where to learn what is missing.
 */
export class McpDoor {
  private readonly address: PublicAddress;
  private readonly origins: ReadonlySet<string>;
  private readonly statedHost: string | null;
  private readonly isLocal: boolean;

  constructor({ host = '', statedPublicUrl = null, corsOrigins = [] }: McpDoorSettings) {
    this.address = new PublicAddress(statedPublicUrl);
    this.origins = new Set(corsOrigins);
    this.statedHost = statedPublicUrl === null ? null : new URL(statedPublicUrl).hostname;
    this.isLocal = isLoopback(host);
  }

  /** null: come in. */
  refuse({ url, headers }: FastifyRequest): Problem | null {
    if (!isMcp(url)) return null;
    if (this.isLocal && !this.isKnownHost(headers.host ?? '')) return FOREIGN_HOST;
    const { origin } = headers;
    return origin === undefined || this.isOwnOrigin(origin, headers.host ?? '') ? null : FOREIGN_ORIGIN;
  }

  /** Says to whom was refused, for want of a key or a scope, where to learn what is needed. */
  challenge({ url, headers }: FastifyRequest, reply: FastifyReply, { code }: Problem): void {
    if (!isMcp(url)) return;
    const base = this.address.of(headers);
    if (code === 'unauthenticated')
      reply.header(
        'www-authenticate',
        `Bearer ${metadataOf(base)}${headers.authorization === undefined ? '' : ', error="invalid_token"'}`,
      );
    if (code === 'forbidden') reply.header('www-authenticate', insufficientScope(base, 'run read'));
  }

  /** Behind a proxy of the same machine the Host may be the one that the operator has named. */
  private isKnownHost(host: string): boolean {
    const url = `http://${host}`;
    if (!URL.canParse(url)) return false;
    const { hostname } = new URL(url);
    return isLoopback(hostname) || hostname === this.statedHost;
  }

  /** Whether TLS ends here or before is not known, where no address was stated. */
  private isOwnOrigin(origin: string, host: string): boolean {
    if (this.origins.has(origin)) return true;
    const base = this.address.of({ host });
    if (this.statedHost !== null) return origin === new URL(base).origin;
    return origin === base || origin === base.replace(/^http:/, 'https:');
  }
}

/** Of a refusal with 403 (RFC 6750, 3.1). @param scopes separated by blanks */
export const insufficientScope = (base: string, scopes: string): string =>
  `Bearer error="insufficient_scope", scope="${scopes}", ${metadataOf(base)}`;

const metadataOf = (base: string): string =>
  `resource_metadata="${base}${RESOURCE_METADATA_PATH}${MCP_PATH}"`;

const isMcp = (url: string): boolean => url.split('?', 1)[0] === MCP_PATH;

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

const FOREIGN_HOST = new Problem('forbidden', 'Host: must be a name of this machine');
const FOREIGN_ORIGIN = new Problem('forbidden', 'Origin: must be this service or one of CORS_ORIGINS');
