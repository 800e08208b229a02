// Linux has URL requests in a module of their own.
#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
