/**
 * On macOS `fsync` leaves data in the drive's own cache; F_FULLFSYNC, which Node's files use already, does not
 * (sqlite.org/pragma.html#pragma_fullfsync). Elsewhere these change nothing.
 */
export const FULL_SYNC = 'PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON;';
