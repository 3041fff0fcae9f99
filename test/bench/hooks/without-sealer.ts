import { Sealer } from '#sealer';

/** A service whose log nobody seals: what sealing costs is told against it. */
Sealer.prototype.start = () => undefined;
Sealer.prototype.stop = async () => undefined;
