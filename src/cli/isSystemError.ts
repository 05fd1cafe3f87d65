/** Whether it is the system's word for what went wrong, such as `ENOSPC`; else it may be a bug. */
export const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
