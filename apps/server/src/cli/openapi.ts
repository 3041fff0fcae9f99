import { routesOf } from '../edge/routes/routes-of.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from '../features/controllers.js';
import { describeService } from '../features/docs/describe-service.js';
import { programVersion } from '../version.js';

/** `annals openapi`: prints what `/openapi.json` answers, in lines; `docs/openapi.json` is this text. */
export async function run(): Promise<number> {
  const routes = routesOf([...API_CONTROLLERS, ...OPERATOR_CONTROLLERS]);
  process.stdout.write(`${JSON.stringify(describeService(routes, programVersion()), null, 2)}\n`);
  return 0;
}
