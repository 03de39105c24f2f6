/**
 * What a fault answers where its rule gives no body: the shape that client SDKs of the common kind read, as the document shows none
 * (section 7).
 */
export function defaultBody(id: string): object {
  return {
    error: { message: `This failure was asked for: ${id}.`, type: 'server_error', param: null, code: 'injected_fault' },
  }
}
