import {
  type Resource,
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ServiceIdentity {
  /** Names this process among those of the service. */
  readonly instance: string;
  readonly version: string;
}

/** What the operator says in OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES counts more. */
export function resourceOf({ instance, version }: ServiceIdentity): Resource {
  const own = {
    'service.name': 'annals',
    'service.version': version,
    'service.instance.id': instance,
  };
  const said = detectResources({ detectors: [envDetector, serviceNameEnvDetector] });
  return defaultResource().merge(resourceFromAttributes(own)).merge(said);
}
