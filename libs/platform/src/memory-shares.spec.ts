import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SCHEMAS_MB, SERVICE_MB, allowedMemoryMb, documentsMemoryMb, readersOf } from './memory-shares.js';

const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;

/** All that the service and its processes may hold. */
function togetherMb(allowedMb: number): number {
  const { count, memoryMb } = readersOf(documentsMemoryMb(allowedMb));
  return SERVICE_MB + SCHEMAS_MB + count * memoryMb;
}

describe('shares of memory', () => {
  it.each([
    ['of a machine, where nothing is known of a container', 0, 4096],
    ['of a machine, where Node does not say', undefined, 4096],
    ['of a machine, where the container has no limit', 2 ** 64, 4096],
    ['of a container', 512 * MEGABYTE, 512],
  ])('are %s', (_, constrained, allowed) => {
    expect(allowedMemoryMb(constrained, 4 * GIGABYTE)).toBe(allowed);
  });

  it.each([
    [512, { count: 1, memoryMb: 256 }],
    [1024, { count: 1, memoryMb: 256 }],
    [1536, { count: 1, memoryMb: 736 }],
    [2048, { count: 1, memoryMb: 1248 }],
    [3072, { count: 2, memoryMb: 1024 }],
    [256 * 1024, { count: 2, memoryMb: 1024 }],
  ])('%d MB allow these readers', (allowed, readers) => {
    expect(readersOf(documentsMemoryMb(allowed))).toEqual(readers);
  });

  it('that somebody sets are all given away, to four readers at the most', () => {
    expect(readersOf(300)).toEqual({ count: 1, memoryMb: 300 });
    expect(readersOf(3 * 1024)).toEqual({ count: 3, memoryMb: 1024 });
    expect(readersOf(10 * 1024)).toEqual({ count: 4, memoryMb: 2560 });
  });

  it('never add up to more than there is, but where there is too little for one reader', () => {
    for (let allowed = 1056; allowed < 8192; allowed++)
      expect(togetherMb(allowed)).toBeLessThanOrEqual(allowed);
  });

  it('fit into what Kubernetes asks for and allows, with a reader of large files and one of small ones', () => {
    const manifest = readFileSync('deploy/kubernetes/base/deployment.yaml', 'utf8');
    const of = (kind: string) =>
      Number(new RegExp(`${kind}: \\{[^}]*memory: (\\d+)Gi`).exec(manifest)?.[1]) * 1024;
    for (const memoryMb of [of('requests'), of('limits')])
      expect(memoryMb).toBeGreaterThanOrEqual(togetherMb(of('limits')));
    expect(readersOf(documentsMemoryMb(of('limits')))).toEqual({ count: 2, memoryMb: 1024 });
  });
});
