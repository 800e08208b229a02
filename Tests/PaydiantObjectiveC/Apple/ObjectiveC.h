// The class of Apple's Foundation from which PaydiantCompat's derive, so that its Objective-C half can be type-checked on Linux.

#ifdef __OBJC__
#pragma clang assume_nonnull begin
__attribute__((objc_root_class)) @interface NSObject
- (instancetype)init;
@end
#pragma clang assume_nonnull end
#endif
