import { SimRandom } from '../engine/ports.js';

/** The flaw of ids that are not unique to the process that writes: 9 bytes are what event ids begin with. */
export class SharedIds extends SimRandom {
  override hex(bytes: number): string {
    const own = super.hex(bytes);
    return bytes === 9 ? '0'.repeat(18) : own;
  }
}
