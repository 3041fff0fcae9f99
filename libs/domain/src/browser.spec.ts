import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

const door = fileURLToPath(new URL('browser.ts', import.meta.url));

describe('the door for browsers', () => {
  it('leads to nothing that needs Node.js, and to no package', async () => {
    const { metafile } = await build({
      entryPoints: [door],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const files = Object.keys(metafile.inputs);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !file.startsWith('libs/domain/src/'))).toEqual([]);
  });
});
