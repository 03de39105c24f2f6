import manifest from '../package.json' with { type: 'json' }

/** Version of the tool. */
export const TOOL_VERSION: string = manifest.version
