/** Numbers that PostgreSQL can compare with an id. */
export const id = /^[1-9]\d{0,17}$/
/** PostgreSQL takes no NUL. */
export const text = /^[^\0]+$/
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
