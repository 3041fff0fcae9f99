import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import type { Settings } from '#platform';

/** Nothing comes from elsewhere, nothing is made of text, and no other page holds it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Of the features that browsers know, each is denied by its name. */
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]
  .map((name) => `${name}=()`)
  .join(', ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': PERMISSIONS,
};

const NOT_SERVED = new Problem('not_found', 'there is no console here');

export type ConsoleDoorSettings = Partial<Pick<Settings, 'console'>>;

/** What holds for every answer under `/console`, refusals included, and whether there is a console at all. */
export class ConsoleDoor {
  /** Where a browser that asks for the service itself is led. */
  readonly rootPage: string;

  constructor(private readonly settings: ConsoleDoorSettings) {
    this.rootPage = settings.console === false ? 'docs' : 'console';
  }

  /** Sets the headers. null: come in. */
  refuse({ url }: FastifyRequest, reply: FastifyReply): Problem | null {
    if (!/^\/console(?:[/?#]|$)/.test(url)) return null;
    reply.headers(HEADERS);
    return this.settings.console === false ? NOT_SERVED : null;
  }
}
