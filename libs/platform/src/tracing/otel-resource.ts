import {
  type Resource,
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ServiceIdentity {
  /** Identifies this process among the service's replicas. */
  readonly instance: string;
  readonly version: string;
}

/** The OpenTelemetry resource; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it. */
export function resourceOf({ instance, version }: ServiceIdentity): Resource {
  const own = {
    'service.name': 'annals',
    'service.version': version,
    'service.instance.id': instance,
  };
  const said = detectResources({ detectors: [envDetector, serviceNameEnvDetector] });
  return defaultResource().merge(resourceFromAttributes(own)).merge(said);
}
