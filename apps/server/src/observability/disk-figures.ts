import { statfs } from 'node:fs/promises';
import type { Metrics } from '#platform';

const NONE = {};

/** How full the disk of a folder is, at the moment that somebody asks. */
export function watchDisk(metrics: Metrics, folder: string): void {
  const size = metrics.gauge({ name: 'annals_disk_size_bytes', help: 'Size of the disk with DATA_DIR.' });
  const free = metrics.gauge({
    name: 'annals_disk_free_bytes',
    help: 'What this process may still write to the disk with DATA_DIR.',
  });
  metrics.onRead(async () => {
    const { bsize, blocks, bavail } = await statfs(folder);
    size.set(NONE, bsize * blocks);
    free.set(NONE, bsize * bavail);
  });
}
