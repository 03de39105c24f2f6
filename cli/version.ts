import manifest from '../package.json' with { type: 'json' }

/** Version of touchstone, from package.json. */
export const TOOL_VERSION: string = manifest.version
