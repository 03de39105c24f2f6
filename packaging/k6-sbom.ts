import { randomUUID } from 'node:crypto'

/** A Go module that is linked into k6, and the directory with its source. */
export interface LinkedModule {
  readonly path: string
  readonly version: string
  readonly folder: string
}

/**
 * Creates the software bill of materials of k6 in the format CycloneDX 1.5: the Go modules that are linked into it.
 * `npm sbom` creates the bill of materials of touchstone in the same format.
 */
export function createK6Sbom(
  name: string,
  {
    version,
    sha256,
    modules,
  }: { readonly version: string; readonly sha256: string; readonly modules: readonly LinkedModule[] },
): object {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `${name}@${version}`,
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        hashes: [{ alg: 'SHA-256', content: sha256 }],
        licenses: [{ license: { id: 'AGPL-3.0-only' } }],
      },
    },
    components: modules.map((module) => ({
      type: 'library',
      'bom-ref': `${module.path}@${module.version}`,
      name: module.path,
      version: module.version,
      purl: `pkg:golang/${module.path}@${module.version}`,
    })),
  }
}
