import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import { McpDoor, type McpDoorSettings } from './mcp-door.js';

const requestWith = (headers: Readonly<Record<string, string>>, url = '/mcp'): FastifyRequest =>
  ({ url, headers }) as unknown as FastifyRequest;

/** Whether a request with these headers comes in. */
function comesIn(settings: McpDoorSettings, headers: Readonly<Record<string, string>>): boolean {
  return new McpDoor(settings).refuse(requestWith(headers)) === null;
}

describe('a Host', () => {
  it.each([
    ['127.0.0.1', 'localhost:3000', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '[::1]:3000', true],
    ['localhost', '127.9.9.9:1', true],
    ['::1', 'LOCALHOST', true],
    ['127.0.0.1', 'annals.example', false],
    ['127.0.0.1', 'localhost.evil.example', false],
    ['127.0.0.1', '127.0.0.1.evil.example', false],
    ['127.0.0.1', '', false],
    ['0.0.0.0', 'annals.example', true],
  ])('where it listens on %s: %s → %s', (host, asked, isIn) => {
    expect(comesIn({ host }, { host: asked })).toBe(isIn);
  });

  it('that the operator has named is one of this machine, behind a proxy of the same', () => {
    const settings = { host: '127.0.0.1', statedPublicUrl: 'https://annals.example' };
    expect(comesIn(settings, { host: 'annals.example' })).toBe(true);
    expect(comesIn(settings, { host: 'annals.example:8443' })).toBe(true);
    expect(comesIn(settings, { host: 'other.example' })).toBe(false);
  });

  it('is nobody else’s concern', () => {
    const refusal = new McpDoor({ host: '127.0.0.1' }).refuse(
      requestWith({ host: 'annals.example' }, '/runs'),
    );
    expect(refusal).toBeNull();
  });
});

describe('an Origin', () => {
  const host = 'annals.example:3000';

  it.each([
    ['http://annals.example:3000', true],
    ['https://annals.example:3000', true],
    ['http://annals.example', false],
    ['http://annals.example:3001', false],
    ['https://evil.example', false],
    ['null', false],
    ['', false],
  ])('of a service that was asked by %s', (origin, isIn) => {
    expect(comesIn({ host: '0.0.0.0' }, { host, origin })).toBe(isIn);
  });

  it('is the stated one, and those of pages that may call', () => {
    const settings = {
      statedPublicUrl: 'https://annals.example/agents',
      corsOrigins: ['https://app.example'],
    };
    expect(comesIn(settings, { host, origin: 'https://annals.example' })).toBe(true);
    expect(comesIn(settings, { host, origin: 'https://app.example' })).toBe(true);
    expect(comesIn(settings, { host, origin: 'http://annals.example:3000' })).toBe(false);
  });
});

describe('a refusal', () => {
  function challenge(settings: McpDoorSettings, headers: Readonly<Record<string, string>>, url = '/mcp') {
    const set: Record<string, string> = {};
    const reply = { header: (name: string, value: string) => (set[name] = value) } as unknown as FastifyReply;
    new McpDoor(settings).challenge(requestWith(headers, url), reply, new Problem('unauthenticated', ''));
    return set['www-authenticate'];
  }

  it('names where it is told how to come in', () => {
    const end = '/.well-known/oauth-protected-resource/mcp"';
    const stated = { statedPublicUrl: 'https://annals.example/agents' };
    const host = 'localhost:3000';
    expect(challenge(stated, { host })).toBe(`Bearer resource_metadata="https://annals.example/agents${end}`);
    expect(challenge({}, { host })).toBe(`Bearer resource_metadata="http://localhost:3000${end}`);
    expect(challenge({}, { host }, '/mcp?x=1')).toBe(`Bearer resource_metadata="http://localhost:3000${end}`);
    expect(challenge({}, { host }, '/runs')).toBeUndefined();
  });

  it('repeats no Host that is none', () => {
    const told = challenge({}, { host: 'a", error="x' });
    expect(told).toBe('Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"');
  });
});
