import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../support/service-process.js';

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start();
});
afterAll(() => service.dispose());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(service.origin + path, { method, headers, redirect: 'manual' });
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "worker-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('/console', () => {
  it('is the shell for every page of it, which is asked for again each time', async () => {
    const whole = await get('/console', PAGE);
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const html = await whole.text();
    for (const path of ['/console/', '/console/sessions/s1@7?rows=all', '/console/nothing/there'])
      expect([path, await (await get(path, PAGE)).text()]).toEqual([path, html]);
    const etag = whole.headers.get('etag') ?? '';
    const again = await get('/console/runs', { ...PAGE, 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await get('/console', { ...PAGE, 'accept-encoding': 'identity' }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(html))]);
  });

  it('is made of files that never change, in the best coding that is taken', async () => {
    const assets = assetsOf(await (await get('/console', PAGE)).text());
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const texts = new Set<string>();
      for (const [asked, given] of [
        ['br, gzip', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip;q=0.5', 'gzip'],
        ['identity', null],
      ] as const) {
        const answer = await get(path, { 'accept-encoding': asked });
        expect([path, answer.status, answer.headers.get('content-encoding')]).toEqual([path, 200, given]);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('vary')).toContain('Accept-Encoding');
        texts.add(await answer.text());
      }
      expect(texts.size).toBe(1);
    }
  });

  it('hands out the verifier as a file to be kept, the same that was built', async () => {
    const answer = await get('/console/verify.html', PAGE);
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('content-security-policy'),
    ]).toEqual([200, 'text/html; charset=utf-8', POLICY]);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="verify.html"');
    expect(await answer.text()).toBe(readFileSync('dist/verify.html', 'utf8'));
  });

  it('has no shell in the place of a file, or of what is no page', async () => {
    for (const [path, headers] of [
      ['/console/assets/gone-AAAAAAAA.js', PAGE],
      ['/console/assets/..%2findex.html', PAGE],
      ['/console/favicon.ico', {}],
      ['/console/sessions', { accept: 'application/json' }],
    ] as const)
      expect([path, (await get(path, headers)).status]).toEqual([path, 404]);
    const wrong = await get('/console/sessions', {}, 'POST');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('lets nothing in from elsewhere, whatever it answers', async () => {
    const asset = assetsOf(await (await get('/console', PAGE)).text())[0] ?? '';
    for (const [path, method] of [
      ['/console', 'GET'],
      ['/console/auth', 'GET'],
      ['/console/runs', 'POST'],
      ['/console/assets/gone.js', 'GET'],
      [asset, 'GET'],
    ] as const) {
      const { headers } = await get(path, {}, method);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('permissions-policy')).toMatch(/^(?:[a-z-]+=\(\)(?:, )?)+$/);
    }
    expect((await get('/healthz')).headers.get('content-security-policy')).toBeNull();
  });

  it('is no part of the interface that is described', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => /^\/console(?!\/auth$)/.test(path))).toEqual([]);
  });
});

describe('CONSOLE=off', () => {
  beforeAll(() => service.restart('SIGTERM', { env: { CONSOLE: 'off' } }));

  it('leaves nothing under /console, and leads browsers to /docs', async () => {
    for (const [path, method] of [
      ['/console', 'GET'],
      ['/console/sessions', 'GET'],
      ['/console/auth', 'GET'],
      ['/console/auth', 'POST'],
      ['/console/assets/x.js', 'GET'],
    ] as const)
      expect([path, (await get(path, PAGE, method)).status]).toEqual([path, 404]);
    expect((await get('/', PAGE)).headers.get('location')).toBe('docs');
    expect((await get('/consoles', PAGE)).status).toBe(401);
  });
});
